"""What the report asks, in order: for each question its claims, its figures, and what to look at in them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    """One question. `tables` name further parts of the section."""

    anchor: str
    short: str  # in the contents bar
    question: str
    about: str
    claims: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()


OUTLINE = (
    Section(
        "settle",
        "Settling",
        "Does lefi settle?",
        "lefi is the paper's Algorithm 1: it learns each client's response from its answers and steps every client's "
        "weight (the most it can earn, in USD) towards more accuracy. A fleet is the clients of one seed; all "
        "mechanisms meet the same fleets.",
        ("a", "b", "c", "g", "j", "p"),
        ("weights", "sizes", "accuracy"),
    ),
    Section(
        "optimum",
        "Optimum",
        "Does it find the optimum, within the budget?",
        "The oracle is the exact optimum when all costs are known. A share is what a mechanism gains over arbitrary "
        "weights, as a part of what the oracle gains; overspend is what a round pays above its budget. Uniform, the "
        "same weight for everybody, is the control: it learns nothing about single clients.",
        ("k", "l"),
        ("gain", "overspend"),
        ("shares",),
    ),
    Section(
        "scale",
        "Scale",
        "Does it scale to thousands of clients?",
        "RAI, the paper's relative accuracy improvement, is a mechanism's gain over arbitrary weights divided by "
        "lefi's. The paper states 5 USD for this figure and never says that it grows with the number of clients, so "
        "both are shown: 0.5 USD for each client, and 5 USD for all.",
        ("d", "i", "o"),
        ("rai", "cold", "fixed"),
    ),
    Section(
        "money",
        "Money",
        "What does accuracy cost?",
        "The paper fixes the shape of the payment, weight (1 - exp(-beta size)), and tunes its height. Its beta and "
        "the unit of its theta, the price of computing, are not given. first_best pays every client just its cost: no "
        "way of paying reaches more.",
        ("e",),
        ("budget", "readings", "money", "needed", "deviation", "pretending"),
        ("shape",),
    ),
    Section(
        "gamed",
        "Gaming",
        "Can it be gamed?",
        "A server that learns what each client accepts teaches it to pretend. A policy is a way to answer that looks "
        "ahead; the best of a family of them is played against each mechanism. Under auction and posted no client "
        "moves its own price, so honesty is best; under the others all clients end at a policy to which none has a "
        "better reply.",
        (),
        ("replies", "gaming"),
        ("gaming",),
    ),
    Section("deadline", "Deadline", "What does a stricter deadline cost?", "", ("f",), ("deadline",)),
    Section(
        "clients",
        "Other clients",
        "Beyond the paper: other clients, other mechanisms",
        "The paper promises any data-selection rule and clients that change. Each scenario changes one thing about the "
        "clients; waterfill is ours.",
        ("h", "n"),
        ("scenarios", "ablation"),
        ("beyond",),
    ),
    Section(
        "everybody",
        "Everybody",
        "Everybody: how do all of them compare at equal money?",
        "Every mechanism of lefi and some wrappers, many of them after systems that the paper names: the same fleets, "
        "the same money, settings tuned once on other markets. They do not know the same: some are told bids or know "
        "how costs are spread, and the table says which.",
        (),
        ("everybody",),
        ("everybody",),
    ),
    Section(
        "target",
        "Dollars",
        "Dollars to accuracy: what does a target cost?",
        "The paper spends the same budget in every round, for ever. An operator has a sum and a target. A schedule "
        "splits the sum over rounds beforehand; pace plans anew after every round and stops at the target; "
        "bara_published is BARA as its authors have it. Clients really train, and money counts until held-out accuracy "
        "first reaches the target.",
        (),
        ("to-target",),
        ("target",),
    ),
    Section(
        "caught",
        "Trust",
        "Who was caught, and who was not?",
        "A client may claim data that it does not train on; offers and answers cannot show that, updates can. Measured "
        "by real training with clients that cheat: evidence from updates over rounds, on fleets that nothing was "
        "chosen on.",
        tables=("caught",),
    ),
    Section(
        "models",
        "Models",
        "Do the models hold when it is really trained?",
        "The simulations rest on two models of the paper: what training costs, and what accuracy data buys. The "
        "second was measured again on CIFAR-10. Tasks other than classification are out of scope: the paper names "
        "none.",
        ("m",),
        ("cost", "accuracy-model", "measured", "training", "fleets"),
    ),
)

SEE = {
    "weights": "Left: one line per client. Look whether they rise together up to the dotted line, where the budget "
    "binds, and part after it. Right: settled means below the dotted 5%.",
    "sizes": "What the clients deliver for those weights. Right: how far the slowest client is from where it ends.",
    "accuracy": "Left: medians. Right: every fleet against its own oracle; lower is better, the scale is logarithmic.",
    "gain": "How soon each line comes near 1, and where it stays. Left all clients have one rate and speed, right they "
    "differ: only there is much to learn.",
    "overspend": "Zero is the bottom line. Rounds above it spend money that is not there.",
    "rai": "Lines below 1 gain less than lefi. The dashed line is all there is to gain.",
    "cold": "The same rivals with two starts: the gap between the lines is the start, not the search.",
    "fixed": "Left the money grows with the fleet, right it does not.",
    "budget": "Left: medians. Right: above zero lefi is ahead. lefi usd has the paper's literal step and probe.",
    "readings": "Framed cells agree with what the paper reports. From one end of the frame to the other the answer "
    "changes more than a hundredfold.",
    "money": "How far left of the grey line's end a mechanism reaches the height of that line.",
    "needed": "Lower is cheaper. What is not drawn did not reach the goal with any budget that was tried.",
    "deviation": "Left: above zero clients keep money. Right: above zero pretending pays.",
    "pretending": "How fast the line of price falls is the price of having to trust the clients.",
    "replies": "Dots to the right earn by playing. Under truthful mechanisms no reply does: they sit at zero.",
    "gaming": "The same money for all: whether a truthful mechanism lies above price, which clients have taught.",
    "deadline": "Left: medians. Right: above zero lefi is ahead; deadlines to the left are strict.",
    "scenarios": "One panel per kind of client: who comes near 1, how soon, and who stays there.",
    "ablation": "Left: what is missing to the best, from lefi step by step to waterfill. Right: what each overspends.",
    "everybody": "Ranked from the top. Left money is short. Right even flat, the control, buys everything: what is "
    "missing there is what the paper's curve wastes. Open marks have overspent.",
    "to-target": "To the left is cheaper, on a logarithmic scale: prices above, the paper's curve below. Green plans "
    "as it goes, blue was planned beforehand: with prices a few large rounds do, on the curve many small ones.",
    "cost": "Computing grows in proportion to data, from a small fixed part.",
    "accuracy-model": "Lines are nearly straight: the next thousand samples are worth almost what the first were.",
    "measured": "Unlike the paper's model, the curves bend: the first thousands of samples buy most.",
    "training": "Above real training, below what the model says, for the same clients and money.",
    "fleets": "Points on the blue line would mean that accuracy is a sum over clients.",
}
